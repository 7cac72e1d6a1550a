// Three rods and the frame that holds them, in millimeters. Makes rods.msh:
//     gmsh rods.geo -1 -order 3 -format msh41 -o rods.msh
SetFactory("OpenCASCADE");
Circle(1) = {0, 0, 0, 5};
Circle(2) = {20, 0, 0, 5};
Circle(3) = {0, 15, 0, 5};
Rectangle(1) = {-30, -30, 0, 75, 75};
Transfinite Curve {1, 2, 3} = 49;             // 48 elements each
Transfinite Curve {4, 5, 6, 7} = 2;
Physical Curve("rods") = {1, 2, 3};
Physical Curve("frame") = {4, 5, 6, 7};
